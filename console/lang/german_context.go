package lang

// germanContext returns the texts of the process beside a task.
func germanContext() map[string]string {
	return map[string]string{
		"About the process":      "Über den Vorgang",
		"Parts of the task":      "Teile der Aufgabe",
		"Show the process":       "Vorgang zeigen",
		"Other open tasks":       "Andere offene Aufgaben",
		"No other task is open.": "Keine andere Aufgabe ist offen.",
		"All %d open tasks":      "Alle %d offenen Aufgaben",
		"All %d documents":       "Alle %d Dokumente",
		"Claim to fill in":       "Übernehmen und ausfüllen",

		"Processes: %s":                                  "Vorgänge: %s",
		"Seen":                                           "Gesehen",
		"The task is completed.":                         "Die Aufgabe ist abgeschlossen.",
		"“%s” is completed.":                             "„%s“ ist abgeschlossen.",
		"The process is completed.":                      "Der Vorgang ist abgeschlossen.",
		"The process has ended.":                         "Der Vorgang ist beendet.",
		"Others have the next task.":                     "Die nächste Aufgabe haben andere.",
		"The process continues by itself.":               "Der Vorgang läuft von selbst weiter.",
		"Its managers decide how the process continues.": "Wie der Vorgang weitergeht, entscheidet seine Leitung.",
		"Next in the process:":                           "Als Nächstes im Vorgang:",
		"%d tasks were not changed:":                     "%d Aufgaben wurden nicht geändert:",
		"%d tasks are yours now.":                        "%d Aufgaben gehören jetzt Ihnen.",
		"%d tasks were released.":                        "%d Aufgaben wurden freigegeben.",
		"%d tasks were completed.":                       "%d Aufgaben wurden abgeschlossen.",
		"%d tasks were delegated.":                       "%d Aufgaben wurden delegiert.",
		"%d tasks were assigned.":                        "%d Aufgaben wurden zugewiesen.",
		"Release selected":                               "Ausgewählte freigeben",

		"%s has released this task.":                 "%s hat diese Aufgabe freigegeben.",
		"%s has completed this task.":                "%s hat diese Aufgabe abgeschlossen.",
		"%s has cancelled this task.":                "%s hat diese Aufgabe abgebrochen.",
		"%s has given this task to you.":             "%s hat Ihnen diese Aufgabe zugewiesen.",
		"%s has claimed this task.":                  "%s hat diese Aufgabe übernommen.",
		"%s has given this task to %s.":              "%s hat diese Aufgabe %s zugewiesen.",
		"You released this task in another window.":  "Sie haben diese Aufgabe in einem anderen Fenster freigegeben.",
		"You completed this task in another window.": "Sie haben diese Aufgabe in einem anderen Fenster abgeschlossen.",
		"You claimed this task in another window.":   "Sie haben diese Aufgabe in einem anderen Fenster übernommen.",
		"You changed this task in another window.":   "Sie haben diese Aufgabe in einem anderen Fenster geändert.",
		"Copy":                               "Kopieren",
		"This input of yours was not saved:": "Diese Eingaben von Ihnen wurden nicht gespeichert:",
		"This task is no longer visible to you. It was given to another person, cancelled or deleted.": "Diese Aufgabe ist für Sie nicht mehr sichtbar. Sie wurde einer anderen Person zugewiesen, abgebrochen oder gelöscht.",
	}
}
