"""Drives the real service with the reference implementation of Varlink.

Usage: varlink_peer.py SOCKET. Prints "ok" at the end; any disagreement is an exception.
"""

import base64
import hashlib
import sys
import threading

import varlink


def expect(found, wanted):
    if found != wanted:
        raise AssertionError("found %r, wanted %r" % (found, wanted))


def expect_error(name, call):
    try:
        call()
    except varlink.VarlinkError as error:
        expect(error.error(), name)
        return error.parameters()
    raise AssertionError("no " + name)


def drive_files(client):
    content = b"from another language\n" * 1000
    digest = hashlib.sha256(content).hexdigest()
    with client.open("dev.cleat.Files") as files:
        begun = {"id": "peer-file", "area": "documents", "path": "notes.txt", "size": len(content), "sha256": digest}
        expect(files.Begin(**begun)["offset"], 0)
        half = len(content) // 2
        expect(files.Write("peer-file", 0, base64.b64encode(content[:half]).decode())["offset"], half)
        # What has arrived need not be sent again.
        expect(files.Begin(**begun)["offset"], half)
        expect(files.Write("peer-file", half, base64.b64encode(content[half:]).decode())["offset"], len(content))
        expect(files.Commit("peer-file")["entry"]["size"], len(content))
        read = files.Read("documents", "notes.txt", 0)
        expect(base64.b64decode(read["data"]), content)
        expect(files.Hash("documents", "notes.txt")["sha256"], digest)
        files.Remove("documents", "notes.txt")
        expect_error("dev.cleat.Files.NotFound", lambda: files.Stat("documents", "notes.txt"))
        astray = dict(begun, id="astray", path="no/such/directory")
        expect("make its directory first" in expect_error("dev.cleat.Files.NotFound", lambda: files.Begin(**astray))["message"],
               True)


def main(path):
    address = "unix:" + path
    with varlink.Client(address) as client:
        own = ["Settings", "Events", "Files", "Hooks", "Service", "Snapshots", "System", "Transactions"]
        names = ["org.varlink.service"] + ["dev.cleat." + name for name in own]
        expect(sorted(str(name) for name in client.get_interfaces()), sorted(names))
        with client.open("org.varlink.service") as service:
            information = service.GetInfo()
            expect(information["product"], "cleatd")
            expect(information["vendor"], "Cleat")
            for name in names:
                # Each description is one that another parser reads, and it is of the interface that was asked for.
                text = service.GetInterfaceDescription(name)["description"]
                expect(varlink.Interface(text).name, name)
            expect_error("org.varlink.service.InterfaceNotFound", lambda: service.GetInterfaceDescription("no.such"))

        settings = client.open("dev.cleat.Settings")
        before = settings.Get("system/hostname")
        expect("value" in before["setting"], False)
        expect(settings.Get("system/hostname", None, True)["setting"]["value"], "board")
        expect(before["setting"]["origin"], "schema_default")
        expect(before["leaf"], True)

        # A second connection watches while the first one changes.
        watcher = varlink.Client(address).open("dev.cleat.Settings")
        replies = watcher.Watch(["system"], _more=True)
        first = next(replies)
        expect(first["initial"], True)
        expect(first["settings"][0]["path"], "system/hostname")

        seen = []

        def watch():
            seen.append(next(replies))

        thread = threading.Thread(target=watch)
        thread.start()
        changed = settings.Set(
            changes=[{"path": "system/hostname", "value": "pump-7"}, {"path": "network/interfaces/eth0/mtu", "value": 1400}],
            id="peer-1", comment="from another language")
        expect(changed["state"], "confirmed")
        expect(changed["id"], "peer-1")
        expect(changed["generation"], before["generation"] + 1)
        thread.join(60)
        expect(seen[0]["initial"], False)
        expect(seen[0]["generation"], changed["generation"])
        expect([(s["path"], s["value"]) for s in seen[0]["settings"]], [("system/hostname", "pump-7")])

        expect(settings.Get("network/interfaces/eth0")["setting"]["value"]["mtu"], 1400)
        pages = list(settings.List("network", False, _more=True))
        expect([s["path"] for page in pages for s in page["settings"]], ["network/interfaces/eth0/mtu"])
        history = settings.Log(None, 1)["generations"][0]
        expect(history["comment"], "from another language")
        expect(sorted(change["path"] for change in history["changes"]),
               ["network/interfaces/eth0/mtu", "system/hostname"])

        problems = expect_error(
            "dev.cleat.Settings.InvalidValue",
            lambda: settings.Set([{"path": "network/interfaces/eth0/mtu", "value": 1}]))["problems"]
        expect(problems[0]["path"], "network/interfaces/eth0/mtu")
        expect_error("dev.cleat.Settings.UnknownSetting", lambda: settings.Get("no/such"))
        expect_error("dev.cleat.Settings.InvalidPath", lambda: settings.Get("/"))
        conflict = expect_error(
            "dev.cleat.Settings.Conflict",
            lambda: settings.Set(
                changes=[{"path": "system/hostname", "value": "x"}], expect={"store": changed["store"], "generation": 0}))
        expect(conflict["generation"], changed["generation"])
        planned = settings.Set(changes=[{"path": "system/hostname", "value": "pump-8"}], plan=True)
        expect((planned["state"], planned["generation"]), ("checked", changed["generation"]))
        expect(planned["plan"]["connection"], "kept")
        expect("+pump-8" in "".join(step.get("diff") or "" for step in planned["plan"]["steps"]), True)
        # An error leaves the connection as it was.
        expect(settings.Get("system/hostname")["setting"]["value"], "pump-7")

        with client.open("dev.cleat.Events") as events:
            expect("lo" in [link["name"] for link in events.Links()["links"]], True)
            devices = [d for page in events.Devices("mem", _more=True) for d in page["devices"]]
            expect("/devices/virtual/mem/null" in [device["devpath"] for device in devices], True)
        drive_files(client)
        with client.open("dev.cleat.Service") as service:
            expect(service.Status()["generation"], changed["generation"])

    print("ok")


main(sys.argv[1])
