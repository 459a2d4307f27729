package lang

// germanHealth returns the texts of the health screen and of tenant filters.
func germanHealth() map[string]string {
	return map[string]string{
		"Health":             "Zustand",
		"Checks":             "Prüfungen",
		"All tenants":        "Alle Mandanten",
		"Code of the tenant": "Code des Mandanten",
		"Pending work, and the state of the services that Procession depends on.":        "Ausstehende Arbeit und der Zustand der Dienste, die Procession braucht.",
		"Check PostgreSQL, Temporal, keys, certificates, proxies, documents and issuers": "PostgreSQL, Temporal, Schlüssel, Zertifikate, Proxys, Dokumente und Aussteller prüfen",
		"Open incidents":                        "Offene Störungen",
		"Commands for Temporal":                 "Aufträge an Temporal",
		"Webhook deliveries":                    "Webhook-Zustellungen",
		"Retried deliveries":                    "Wiederholte Zustellungen",
		"Disabled endpoints":                    "Abgeschaltete Empfänger",
		"Overdue scans":                         "Überfällige Abfragen",
		"Failed workflows to retry or dismiss.": "Fehlgeschlagene Abläufe, die zu wiederholen oder zu erledigen sind.",
		"Starts, signals and cancellations of workflows that are due. They wait while Temporal is unavailable.": "Starts, Signale und Abbrüche von Abläufen, die fällig sind. Sie warten, solange Temporal nicht verfügbar ist.",
		"Deliveries that wait for their first attempt.":                                                         "Zustellungen, die auf ihren ersten Versuch warten.",
		"Failed deliveries that are retried.":                                                                   "Fehlgeschlagene Zustellungen, die wiederholt werden.",
		"They receive no events until they are enabled.":                                                        "Sie erhalten keine Ereignisse, bis sie eingeschaltet sind.",
		"Namespaces without a scan for ended workflows for more than a minute.":                                 "Namensräume, die seit mehr als einer Minute nicht nach beendeten Abläufen durchsucht wurden.",
		"Oldest since:":                  "Älteste seit:",
		"Passes":                         "Bestanden",
		"Warning":                        "Warnung",
		"Fails":                          "Fehler",
		"Not checked":                    "Nicht geprüft",
		"%d checks pass":                 "%d Prüfungen bestanden",
		"%d of %d checks fail.":          "%d von %d Prüfungen schlagen fehl.",
		"No check fails; %d of %d warn.": "Keine Prüfung schlägt fehl; %d von %d warnen.",
		"All %d checks pass.":            "Alle %d Prüfungen sind bestanden.",
	}
}
