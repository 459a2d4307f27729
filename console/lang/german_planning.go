package lang

// germanPlanning returns the texts of due dates, follow-up dates and priorities.
func germanPlanning() map[string]string {
	return map[string]string{
		"Overdue":         "Überfällig",
		"Due today":       "Heute fällig",
		"Due this week":   "Diese Woche fällig",
		"Due date":        "Fälligkeit",
		"Any due date":    "Jede Fälligkeit",
		"Due":             "Fällig",
		"Follow-up":       "Wiedervorlage",
		"Priority":        "Priorität",
		"Low priority":    "Niedrige Priorität",
		"Normal priority": "Normale Priorität",
		"High priority":   "Hohe Priorität",
		"Urgent":          "Dringend",
		"By due date":     "Nach Fälligkeit",
		"By priority":     "Nach Priorität",
		"Plan …":          "Planen …",
		"Plan the task":   "Aufgabe planen",
		"Do not save":     "Nicht speichern",
		"Times are in the time zone %s. An empty field removes the date.":    "Zeiten sind in der Zeitzone %s. Ein leeres Feld entfernt das Datum.",
		"The owner of an open task and managers of its process can plan it.": "Eine offene Aufgabe können die Person, der sie gehört, und die Verantwortlichen des Prozesses planen.",
		"The planning was changed meanwhile. Check it, and save again.":      "Die Planung wurde inzwischen geändert. Prüfen Sie sie und speichern Sie noch einmal.",
		"The priority does not exist.":                                       "Diese Priorität gibt es nicht.",
	}
}
