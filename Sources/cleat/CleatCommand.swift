@main struct CleatCommand {
    static func main() {}
}
