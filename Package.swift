// swift-tools-version: 6.2

import PackageDescription

/// Settings that every target of this package is compiled with.
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .define("Udev", .when(traits: ["Udev"])),
]

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// The modules in the order of their dependencies: each may depend only on modules above it.
var targets: [Target] = [
    .target(name: "CLinux"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
    .target(name: "CleatOrder"),
    .target(name: "CleatHash", dependencies: ["CLinux"]),
    .target(name: "CleatJSON"),
    .target(name: "CleatIO", dependencies: ["CLinux", system]),
    .target(name: "CleatSettings", dependencies: ["CleatOrder", "CleatJSON"]),
    .target(name: "CleatVarlink", dependencies: ["CLinux", "CleatJSON", "CleatIO", system]),
    .target(
        name: "CleatAPI", dependencies: ["CleatOrder", "CleatJSON", "CleatIO", "CleatSettings", "CleatVarlink"],
        exclude: ["Interfaces"]),
    .target(name: "CleatSandbox", dependencies: ["CLinux", "CleatOrder", "CleatHash", "CleatIO", system]),
    .target(
        name: "CleatStore",
        dependencies: [
            "CSQLite", "CLinux", "CleatOrder", "CleatHash", "CleatJSON", "CleatIO", "CleatSettings", "CleatSandbox",
            system,
        ]),
    .target(
        name: "CleatObservers",
        dependencies: [
            "CLinux", "CleatOrder", "CleatJSON", "CleatIO", "CleatAPI", "CleatSandbox", system,
        ]),
    // Only the service links libudev; no library does.
    .target(
        name: "CleatUdev",
        dependencies: [
            "CLinux", .target(name: "CUdev", condition: .when(traits: ["Udev"])), "CleatIO", "CleatObservers", system,
        ]),
    .target(
        name: "CleatTemplates", dependencies: ["CleatOrder", "CleatJSON", "CleatIO", "CleatSettings", "CleatSandbox"]),
    .target(
        name: "CleatAdapters",
        dependencies: [
            "CLinux", "CleatOrder", "CleatHash", "CleatJSON", "CleatIO", "CleatSettings", "CleatAPI",
            "CleatSandbox", "CleatTemplates", system,
        ],
        swiftSettings: [.define("CLEAT_CRASH_POINTS", .when(configuration: .debug))]),
    .target(
        name: "CleatHooks",
        dependencies: [
            "CLinux", "CleatOrder", "CleatJSON", "CleatIO", "CleatSettings", "CleatAPI", "CleatObservers", system,
        ]),
    .target(name: "CleatViews", dependencies: ["CleatJSON", "CleatSettings", "CleatAPI"]),
    .target(
        name: "CleatAgent",
        dependencies: [
            "CLinux", "CleatOrder", "CleatHash", "CleatJSON", "CleatIO", "CleatSettings", "CleatVarlink", "CleatAPI",
            "CleatSandbox", "CleatStore", "CleatTemplates", "CleatAdapters", "CleatObservers", "CleatHooks", system,
            log,
        ]),
    .target(name: "CleatFiles", dependencies: ["CleatIO", "CleatSandbox", system]),
    .target(
        name: "Cleat",
        dependencies: [
            "CLinux", "CleatHash", "CleatJSON", "CleatIO", "CleatSettings", "CleatVarlink", "CleatAPI", "CleatSandbox",
            "CleatFiles", "CleatViews", system,
        ]),
    .target(
        name: "CleatEmbedded",
        dependencies: [
            "Cleat", "CleatAdapters", "CleatAgent", "CleatAPI", "CleatFiles", "CleatIO", "CleatJSON", "CleatObservers",
            "CleatSettings",
            "CleatStore", system, log,
        ]),
    // The only module of a library with Foundation; no other module imports it.
    .target(name: "CleatFoundation", dependencies: ["CleatJSON", "CleatSettings"]),
    .executableTarget(name: "cleatd", dependencies: ["CleatAgent", "CleatUdev"]),
    .executableTarget(
        name: "cleat",
        dependencies: [
            "CLinux", "CleatHash", "CleatJSON", "CleatIO", "CleatSettings", "CleatVarlink", "CleatAPI", "CleatSandbox",
            "CleatTemplates", "CleatViews", system, arguments,
        ]),

    .executableTarget(
        name: "cleat-location",
        dependencies: [
            "Cleat", "CleatAPI", "CleatIO", "CleatJSON", "CleatSettings", system, arguments,
        ]),

    // Writes Sources/CleatAPI/Generated from the interface descriptions; no program of a board contains it.
    .executableTarget(
        name: "VarlinkGenerator", dependencies: ["CleatVarlink", system], path: "Tools/VarlinkGenerator"),

    .executableTarget(name: "lamp", dependencies: ["Cleat"], path: "Examples/Lamp"),
    .executableTarget(name: "watcher", dependencies: ["Cleat"], path: "Examples/Watcher"),
    .executableTarget(name: "memento", dependencies: ["Cleat"], path: "Examples/Memento"),
    .executableTarget(name: "panel", dependencies: ["Cleat", "CleatViews"], path: "Examples/Panel"),
    .executableTarget(name: "postbox", dependencies: ["Cleat"], path: "Examples/Postbox"),

    .executableTarget(name: "counter", dependencies: ["CleatEmbedded"], path: "Examples/Counter"),
    .executableTarget(name: "shutter", dependencies: ["Cleat", system], path: "Examples/Shutter"),
    .executableTarget(name: "recorder", dependencies: ["CleatFiles"], path: "Examples/Recorder"),

    .target(name: "CleatTestSupport", dependencies: ["CLinux", "CleatIO", system], path: "Tests/CleatTestSupport"),
    .testTarget(name: "CleatOrderTests", dependencies: ["CleatOrder"]),
    .testTarget(name: "CleatHashTests", dependencies: ["CleatHash", "CleatTestSupport"]),
    .testTarget(name: "CleatJSONTests", dependencies: ["CleatJSON", "CleatTestSupport"]),
    .testTarget(name: "CleatIOTests", dependencies: ["CleatIO", "CLinux", "CleatTestSupport", system]),
    .testTarget(name: "CleatSettingsTests", dependencies: ["CleatSettings", "CleatJSON", "CleatTestSupport"]),
    .testTarget(
        name: "CleatVarlinkTests", dependencies: ["CleatVarlink", "CleatJSON", "CleatIO", "CleatTestSupport", system],
        exclude: ["varlink_peer.py"]),
    .testTarget(
        name: "CleatAPITests",
        dependencies: [
            "CleatAPI", "CleatJSON", "CleatIO", "CleatSettings", "CleatVarlink", "CleatTestSupport", system,
        ]),
    .testTarget(name: "VarlinkGeneratorTests", dependencies: ["VarlinkGenerator", "CleatVarlink"]),
    .target(name: "CTestKernel", path: "Tests/CTestKernel"),
    .executableTarget(
        name: "sandbox-probe", dependencies: ["CTestKernel", system], path: "Tests/SandboxProbe"),
    .testTarget(
        name: "CleatSandboxTests",
        dependencies: [
            "StoreWriter", "CleatSandbox", "CLinux", "CleatHash", "CleatIO", "CTestKernel", "CleatTestSupport",
            "sandbox-probe", system,
        ]),
    .testTarget(
        name: "CleatFilesTests", dependencies: ["CleatFiles", "CleatIO", "CleatTestSupport", "recorder", system]),
    .executableTarget(
        name: "StoreWriter",
        dependencies: [
            "CleatStore", "CleatSandbox", "CleatHash", "CleatJSON", "CleatIO", "CleatSettings", system,
        ],
        path: "Tests/StoreWriter"),
    .testTarget(
        name: "CleatStoreTests",
        dependencies: [
            "StoreWriter", "CleatStore", "CSQLite", "CLinux", "CleatJSON", "CleatIO", "CleatSettings",
            "CleatTestSupport", system,
        ]),
    .executableTarget(
        name: "observer-probe",
        dependencies: ["CleatObservers", "CleatUdev", "CleatJSON", "CleatIO", "CleatAPI", system],
        path: "Tests/ObserverProbe"),
    .testTarget(
        name: "CleatObserversTests",
        dependencies: [
            "CleatObservers", "CleatUdev", "CLinux", "CleatJSON", "CleatIO", "CleatAPI", "CleatTestSupport",
            "observer-probe",
            system,
        ]),
    .target(
        name: "TemplateTestSupport", dependencies: ["CleatTemplates", "CleatJSON", "CleatSettings"],
        path: "Tests/TemplateTestSupport"),
    .testTarget(
        name: "CleatTemplatesTests",
        dependencies: [
            "CleatTemplates", "TemplateTestSupport", "CleatJSON", "CleatIO", "CleatSettings", "CleatSandbox",
            "CleatTestSupport",
        ]),
    .testTarget(
        name: "CleatAdaptersTests",
        dependencies: [
            "CleatAdapters", "CleatTemplates", "TemplateTestSupport", "CTestKernel", "CleatHash", "CleatJSON",
            "CleatIO",
            "CleatSettings", "CleatAPI", "CleatSandbox", "CleatTestSupport", system,
        ]),
    .testTarget(
        name: "CleatHooksTests",
        dependencies: [
            "CleatHooks", "CLinux", "CTestKernel", "CleatJSON", "CleatIO", "CleatAPI", "CleatObservers",
            "CleatTestSupport", system,
        ]),
    .testTarget(
        name: "CleatAgentTests",
        dependencies: [
            "CleatAgent", "CleatHash", "CleatJSON", "CleatIO", "CleatSettings", "CleatVarlink", "CleatAPI",
            "CleatStore",
            "CleatAdapters", "CleatObservers", "CleatHooks", "CleatSandbox", "CleatTestSupport", system, log,
        ]),
    .testTarget(
        name: "CleatTests",
        dependencies: [
            "Cleat", "CleatEmbedded", "CleatFoundation", "CleatJSON", "CleatIO", "CleatSettings", "CleatVarlink",
            "CleatAPI", "CleatTestSupport", system,
        ]),
    .testTarget(
        name: "CleatEmbeddedTests",
        dependencies: [
            "CleatEmbedded", "CleatViews", "counter", "CleatIO", "CleatSettings", "CleatTestSupport", system,
        ]),
    .testTarget(
        name: "CleatViewsTests",
        dependencies: ["CleatViews", "Cleat", "CleatEmbedded", "CleatJSON", "CleatSettings", "CleatAPI"]),
    .testTarget(
        name: "LocationTests", dependencies: ["cleat-location", "CleatAPI", "CleatIO", "CleatTestSupport"]),
    .testTarget(
        name: "CommandLineTests",
        dependencies: [
            "cleat", "CleatHash", "CleatJSON", "CleatIO", "CleatSettings", "CleatAPI", "CleatVarlink", "CleatSandbox",
            "CleatViews", "CleatTestSupport", system, arguments,
        ],
        exclude: ["Golden"]),
    .testTarget(
        name: "SystemTests",
        dependencies: [
            "cleat", "cleatd", "cleat-location", "lamp", "watcher", "memento", "panel", "postbox", "shutter",
            "observer-probe", "Cleat",
            "CleatHash",
            "CleatJSON", "CleatIO", "CleatVarlink", "CleatViews",
            "CleatAPI", "CleatSandbox", "CleatSettings", "CleatStore", "CleatTestSupport", "CLinux", system,
        ],
        exclude: ["nmea.py", "varlink_peer.py", "without_calls.py", "terminal.py"]),
]

var dependencies: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
]

if let chosen = Context.environment["CLEAT_TESTS"], !chosen.isEmpty {
    // Only these test targets: those with tests for a board, or those that an edit can change.
    let names = chosen.split(separator: ",").map(String.init)
    targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

if Context.environment["CLEAT_OPTIMISED"] == "1" {
    // The programs of a debug build use most of their time in these modules, and the tests start them thousands of times.
    for target in targets where ["CleatHash", "CleatJSON", "CleatSettings", "CleatVarlink"].contains(target.name) {
        target.swiftSettings = [.unsafeFlags(["-O"])]
    }
}

if Context.environment["CLEAT_LEAN"] == "1" {
    // In a program for a board, only the argument parser may read the names of members: those of the verbs' options.
    for target in targets
    where ![.system, .test].contains(target.type) && !["cleat", "cleat-location"].contains(target.name) {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"])
            ]
    }
}

if Context.environment["CLEAT_FUZZ"] == "1" {
    // Without coverage of the modules under test the fuzzer would be blind.
    for target in targets where target.type == .regular && !["CLinux", "CTestKernel"].contains(target.name) {
        target.swiftSettings = [.unsafeFlags(["-sanitize=fuzzer"])]
    }
    targets += [
        ("FuzzJSON", ["CleatJSON"] as [Target.Dependency]),
        ("FuzzVarlink", ["CleatAPI", "CleatVarlink", "CleatJSON"]),
        ("FuzzNetlink", ["CleatObservers"]),
        ("FuzzSettings", ["CleatSettings", "CleatJSON"]),
        ("FuzzSchema", ["CleatSettings", "CleatJSON"]),
    ].map { name, dependencies in
        .executableTarget(
            name: name, dependencies: dependencies, path: "Tests/Fuzz/\(name)",
            swiftSettings: [.unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
    }
}

if Context.environment["CLEAT_BENCH"] == "1" {
    targets += [
        .executableTarget(name: "BenchFiles", dependencies: ["CleatSandbox", system], path: "Benchmarks/Files"),
        .executableTarget(
            name: "BenchStore", dependencies: ["CleatStore", "CleatSettings", "CleatJSON", system],
            path: "Benchmarks/Store"),
        .executableTarget(name: "BenchEmbedded", dependencies: ["CleatEmbedded"], path: "Benchmarks/Embedded"),
    ]
}

for target in targets where target.type != .system && !["CLinux", "CTestKernel"].contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + swiftSettings
}

let package = Package(
    name: "cleat",
    products: [
        .library(name: "Cleat", targets: ["Cleat"]),
        .library(name: "CleatEmbedded", targets: ["CleatEmbedded"]),
        .library(name: "CleatFiles", targets: ["CleatFiles"]),
        .library(name: "CleatFoundation", targets: ["CleatFoundation"]),
        .library(name: "CleatViews", targets: ["CleatViews"]),
        .executable(name: "cleatd", targets: ["cleatd"]),
        .executable(name: "cleat", targets: ["cleat"]),
        .executable(name: "cleat-location", targets: ["cleat-location"]),
    ],
    traits: [
        .trait(name: "Udev", description: "Listen through libudev as well as through netlink."),
        .default(enabledTraits: ["Udev"]),
    ],
    dependencies: dependencies,
    targets: targets
)
