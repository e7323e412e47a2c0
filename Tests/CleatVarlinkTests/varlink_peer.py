"""Reads our interface descriptions and drives our server with the reference implementation of Varlink.

Usage: varlink_peer.py SOCKET. Prints "ok" at the end; any disagreement is an exception.
"""

import sys

import varlink


def expect(found, wanted):
    if found != wanted:
        raise AssertionError("found %r, wanted %r" % (found, wanted))


def main(path):
    with varlink.Client("unix:" + path) as client:
        information = client.get_interfaces()
        expect([str(name) for name in information], ["org.varlink.service", "dev.test.Example"])
        example = client.get_interface("dev.test.Example")
        expect(example.name, "dev.test.Example")
        expect(sorted(example.members)[:4], ["Broken", "Colour", "Count", "Denied"])

        with client.open("org.varlink.service") as service:
            expect(service.GetInfo()["product"], "Example")
            # The description that the server gives is the one that another parser reads.
            text = service.GetInterfaceDescription("org.varlink.service")["description"]
            expect(varlink.Interface(text).name, "org.varlink.service")

        with client.open("dev.test.Example") as example:
            expect(example.Echo("é\n\0")["text"], "é\n\0")
            example.Typed(
                flag=True, whole=-1, real=0.5, text="", any={"a": [None]}, colour="red", choice="two",
                item={"name": "a", "size": None}, items=[{"name": "b", "size": 2}], map={"a": 1}, nested=None, inner=None)
            # Optional parameters that are left out are sent as null.
            example.Typed(None, None, None, None, None, None, None, None, None, None, None, None)
            expect([reply["number"] for reply in example.Count(3, "", _more=True)], [1, 2, 3])
            example.Echo("silent", _oneway=True)
            try:
                example.Fail("declared")
                raise AssertionError("no error")
            except varlink.VarlinkError as error:
                expect(error.error(), "dev.test.Example.Broken")
                expect(error.parameters()["reason"], "on purpose")
            try:
                example.Missing()
                raise AssertionError("no error")
            except varlink.MethodNotImplemented as error:
                expect(error.parameters()["method"], "dev.test.Example.Missing")

        try:
            client.get_interface("no.such")
            raise AssertionError("no error")
        except varlink.InterfaceNotFound:
            pass

    print("ok")


main(sys.argv[1])
