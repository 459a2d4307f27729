package lang

// germanHealth returns the texts of the screen of health, and of what narrows lists to a tenant.
func germanHealth() map[string]string {
	return map[string]string{
		"Health":                        "Zustand",
		"Checks":                        "Prüfungen",
		"Versions":                      "Versionen",
		"All tenants":                   "Alle Mandanten",
		"Only the tenant with the code": "Nur der Mandant mit dem Code",
		"What waits, and whether everything that the service depends on works.":          "Was wartet, und ob alles geht, was der Dienst braucht.",
		"Check PostgreSQL, Temporal, keys, certificates, proxies, documents and issuers": "PostgreSQL, Temporal, Schlüssel, Zertifikate, Proxys, Dokumente und Aussteller prüfen",
		"Open incidents":         "Offene Störungen",
		"Commands for Temporal":  "Aufträge an Temporal",
		"Webhook deliveries":     "Webhook-Zustellungen",
		"Deliveries tried again": "Wiederholte Zustellungen",
		"Disabled endpoints":     "Abgeschaltete Empfänger",
		"Overdue scans":          "Überfällige Abfragen",
		"Workflows that failed and wait to be retried or dismissed.":                                     "Abläufe, die fehlgeschlagen sind und zu wiederholen oder zu erledigen sind.",
		"Starts, signals and cancellations of workflows that are due. They wait while Temporal is away.": "Starts, Signale und Abbrüche von Abläufen, die fällig sind. Sie warten, solange Temporal fehlt.",
		"Deliveries that wait for their first attempt.":                                                  "Zustellungen, die auf ihren ersten Versuch warten.",
		"Deliveries that failed and are attempted again.":                                                "Zustellungen, die fehlgeschlagen sind und wiederholt werden.",
		"They get nothing until they are enabled.":                                                       "Sie bekommen nichts, bis sie wieder eingeschaltet sind.",
		"Namespaces that were not scanned for ended workflows for more than a minute.":                   "Namensräume, in denen seit mehr als einer Minute nicht nach beendeten Abläufen gesucht wurde.",
		"The oldest has waited since:":                                                                   "Das älteste wartet seit:",
		"All right":                                                                                      "In Ordnung",
		"Warning":                                                                                        "Warnung",
		"Fails":                                                                                          "Fehler",
		"Not checked":                                                                                    "Nicht geprüft",
		"%d of %d checks fail.":                                                                          "%d von %d Prüfungen schlagen fehl.",
		"Nothing fails; %d of %d checks warn.":                                                           "Nichts schlägt fehl; %d von %d Prüfungen warnen.",
		"All %d checks are all right.":                                                                   "Alle %d Prüfungen sind in Ordnung.",
	}
}
