package lang

// germanProcesses returns the texts of the screens of processes.
func germanProcesses() map[string]string {
	return map[string]string{
		"Running":                           "Läuft",
		"All":                               "Alle",
		"As a table (CSV)":                  "Als Tabelle (CSV)",
		"Start a process":                   "Vorgang starten",
		"State":                             "Zustand",
		"Started by me":                     "Von mir gestartet",
		"No process matches.":               "Kein Vorgang passt dazu.",
		"Try fewer words or another state.": "Versuchen Sie es mit weniger Wörtern oder einem anderen Zustand.",
		"There are no processes that you may see.":                      "Es gibt keine Vorgänge, die Sie sehen dürfen.",
		"Those that you start, take part in or watch over appear here.": "Hier erscheinen Vorgänge, die Sie starten, an denen Sie mitarbeiten oder die Sie betreuen.",
		"Search by subject, person, value or id":                        "Suche nach Betreff, Person, Wert oder Kennung",
		"Search processes":                                              "Vorgänge suchen",
		"Kind of process":                                               "Art des Vorgangs",
		"All kinds":                                                     "Alle Arten",
		"By kind":                                                       "Nach Art",
		"By person":                                                     "Nach Person",
		"Filter by value":                                               "Nach Werten filtern",
		"Subject":                                                       "Betreff",
		"Process":                                                       "Vorgang",
		"Started by":                                                    "Gestartet von",
		"Started":                                                       "Gestartet",
		"Changed":                                                       "Geändert",
		"Open tasks":                                                    "Offene Aufgaben",
		"1 open task":                                                   "1 offene Aufgabe",
		"%d open tasks":                                                 "%d offene Aufgaben",
	}
}
