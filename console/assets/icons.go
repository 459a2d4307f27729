package assets

// Icons returns the names of the Tabler icons that pages use.
func Icons() []string {
	return []string{
		"adjustments-horizontal", "alert-circle", "alert-triangle", "arrow-back-up", "arrow-down", "arrow-left", "arrow-right", "arrow-up",
		"ban", "bolt", "check", "checklist", "chevron-down", "chevron-left", "chevron-right", "circle-check", "circle-dashed",
		"clock", "cloud-off", "command", "copy", "device-desktop", "dots-vertical", "download", "eye", "file", "files", "flag", "hand-grab", "help", "history",
		"home", "inbox", "info-circle", "keyboard", "language", "link", "list-details", "login", "logout", "message",
		"messages", "moon", "paperclip", "player-play", "plus", "refresh", "route", "search", "send", "settings", "sparkles",
		"sun", "table", "trash", "upload", "user", "user-check", "user-plus", "users", "x",
		"heartbeat", "key", "list-search", "player-pause", "shield", "stack-2", "webhook",
		"app-window", "book", "building", "calculator", "certificate", "code", "database", "eye", "file-code", "git-compare",
		"lock", "pencil", "robot", "terminal", "user-off", "users-group",
	}
}
