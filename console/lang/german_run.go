package lang

// germanRun returns the texts of the screens of those who run the service.
func germanRun() map[string]string {
	return map[string]string{
		"Administration":      "Verwaltung",
		"On the command line": "Auf der Kommandozeile",
		"Copy the command":    "Befehl kopieren",

		"Incidents":                              "Störungen",
		"Open":                                   "Offen",
		"Retried":                                "Wiederholt",
		"Dismissed":                              "Erledigt",
		"Retry":                                  "Wiederholen",
		"Dismiss":                                "Erledigt",
		"The workflow failed without a message.": "Der Ablauf ist ohne Meldung fehlgeschlagen.",
		"Robot for a task of %s":                 "Roboter für eine Aufgabe von %s",
		"Action %s of %s":                        "Aktion %s von %s",
		"failed once":                            "einmal fehlgeschlagen",
		"failed %d times, first %s":              "%d-mal fehlgeschlagen, zuerst %s",
		"Workflows that failed. Their processes wait until the workflow is started again, or the process is ended.": "Abläufe, die fehlgeschlagen sind. Ihre Vorgänge warten, bis der Ablauf neu gestartet oder der Vorgang beendet wird.",
		"Search by message, workflow, kind of process or id":                                                        "Suche nach Meldung, Ablauf, Vorgangsart oder Id",
		"Search incidents":             "Störungen suchen",
		"No incident matches.":         "Keine Störung passt.",
		"There are no incidents here.": "Hier gibt es keine Störungen.",
		"No incident is open.":         "Keine Störung ist offen.",
		"Retry the chosen":             "Ausgewählte wiederholen",
		"Dismiss the chosen":           "Ausgewählte erledigen",
		"Choose %s":                    "%s auswählen",
		"What the workflow reported":   "Was der Ablauf gemeldet hat",
		"Workflow":                     "Ablauf",
		"Task queue":                   "Aufgabenwarteschlange",
		"Workflow id":                  "Id des Ablaufs",
		"Run id":                       "Id des Laufs",
		"Tenant":                       "Mandant",
		"Workflows that fail appear here, with what they failed with.":                                                       "Abläufe, die fehlschlagen, erscheinen hier mit ihrer Meldung.",
		"An action that failed cannot be retried: its result has been reported. Invoke it again, and dismiss this incident.": "Eine fehlgeschlagene Aktion kann nicht wiederholt werden: Ihr Ergebnis ist gemeldet. Rufen Sie sie neu auf und erledigen Sie diese Störung.",
	}
}
