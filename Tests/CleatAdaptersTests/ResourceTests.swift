import CleatAdapters
import Testing

struct ResourceTests {
    @Test(
        "A resource and its text are equivalent",
        arguments: [
            Resource.file("/etc/hostname"), .link("/etc/localtime"), .attribute("/proc/sys/net/ipv4/ip_forward"),
            .hostName, .file("/etc/a:b"), .file("/ünïcode"),
            .line("/etc/hosts", word: "127.0.1.1"), .line("/etc/a:b", word: "fe80::1"),
        ])
    func text(resource: Resource) {
        #expect(Resource(text: resource.text) == resource)
    }

    @Test(
        "Other texts are refused",
        arguments: [
            "", "file", "file:", "file:etc", "host-name:", "Host-name", "socket:/run/a", ":/a", "line:/etc/hosts",
            "line::/etc/hosts", "line:word", "line:word/a",
        ])
    func refusal(text: String) {
        #expect(Resource(text: text) == nil)
    }

    @Test("The order is that of the texts' bytes")
    func order() {
        let sorted: [Resource] = [.attribute("/b"), .file("/a"), .file("/a/b"), .hostName, .link("/a")]
        #expect(sorted.shuffled().sorted() == sorted)
    }

    @Test("A state fits only the resources that can have it")
    func fits() {
        #expect(ResourceState.text("1").fits(.hostName))
        #expect(ResourceState.absent.fits(.link("/a")))
        #expect(!ResourceState.absent.fits(.attribute("/sys/a")))
        #expect(!ResourceState.text("1").fits(.file("/a")))
        #expect(!ResourceState.link("b").fits(.file("/a")))
        #expect(!ResourceState.file("").fits(.link("/a")))
    }
}
