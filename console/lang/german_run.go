package lang

// germanRun returns the texts of the screens of those who run the service.
func germanRun() map[string]string {
	return map[string]string{
		"Administration": "Verwaltung",
	}
}
