package assets

// Icons returns the names of the Tabler icons that pages use.
func Icons() []string {
	return []string{
		"activity-heartbeat", "adjustments-horizontal", "alert-circle", "alert-triangle", "app-window", "arrow-back-up", "arrow-down",
		"arrow-left", "arrow-right", "arrow-up", "ban", "bell", "bolt", "building", "calculator", "check", "checklist",
		"chevron-down", "chevron-left", "chevron-right", "chevron-up", "circle-check", "circle-dashed", "clock", "cloud-off", "code",
		"command", "copy", "database", "device-desktop", "download", "eye", "file", "file-code", "file-download", "files", "flag",
		"git-compare", "hand-grab", "help", "history", "home", "inbox", "info-circle", "key", "keyboard", "language", "link",
		"list-details", "list-search", "lock", "login", "logout", "message", "messages", "pencil", "player-pause",
		"player-play", "plus", "printer", "refresh", "robot", "route", "search", "selector", "send", "settings", "sparkles", "stack-2", "trash",
		"user", "user-check", "user-off", "user-plus", "users", "users-group", "webhook", "x",
	}
}
