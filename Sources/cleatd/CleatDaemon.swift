@main struct CleatDaemon {
    static func main() {}
}
