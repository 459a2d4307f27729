package lang

// germanEvents returns the sentences of timelines.
func germanEvents() map[string]string { return map[string]string{} }
