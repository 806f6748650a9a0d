extension Bool {
    /// Parses the Boolean words of YAML.
    init?(settingText: String) {
        switch settingText.lowercased() {
        case "true", "yes", "on": self = true
        case "false", "no", "off": self = false
        default: return nil
        }
    }
}
