package lang

// germanEvents returns the sentences of timelines.
func germanEvents() map[string]string {
	return map[string]string{
		"uploaded a document":                "hat ein Dokument hochgeladen",
		"started the process":                "hat den Vorgang gestartet",
		"completed the process":              "hat den Vorgang abgeschlossen",
		"cancelled the process":              "hat den Vorgang abgebrochen",
		"set the process running":            "hat den Vorgang in Gang gesetzt",
		"deleted the process":                "hat den Vorgang gelöscht",
		"gave the process another initiator": "hat dem Vorgang einen anderen Initiator gegeben",
		"changed the metadata":               "hat die Metadaten geändert",
		"changed the entity":                 "hat die Entität geändert",
		"changed the values of the process":  "hat die Werte des Vorgangs geändert",
		"wrote a message":                    "hat eine Nachricht geschrieben",
		"opened the thread “%s”":             "hat das Thema „%s“ eröffnet",
		"created the task “%s”":              "hat die Aufgabe „%s“ angelegt",
		"gave “%s” to %s":                    "hat „%s“ an %s gegeben",
		"noted that “%s” is overdue":         "hat festgestellt, dass „%s“ überfällig ist",
		"escalated “%s”":                     "hat „%s“ eskaliert",
		"planned “%s”":                       "hat „%s“ geplant",
		"filled in “%s”":                     "hat „%s“ ausgefüllt",
		"asked for AI help with “%s”":        "hat KI-Hilfe für „%s“ angefordert",
		"released “%s”":                      "hat „%s“ zurückgegeben",
		"claimed “%s”":                       "hat „%s“ übernommen",
		"completed “%s”":                     "hat „%s“ erledigt",
		"cancelled “%s”":                     "hat „%s“ abgebrochen",
		"used the action “%s”":               "hat die Aktion „%s“ verwendet",
		"finished the action “%s”":           "hat die Aktion „%s“ beendet",
		"cancelled the action “%s”":          "hat die Aktion „%s“ abgebrochen",
		"could not finish the action “%s”":   "konnte die Aktion „%s“ nicht beenden",
		"There are no events.":               "Es gibt keine Ereignisse.",
		"There are no older events.":         "Es gibt keine älteren Ereignisse.",
		"(%d times)":                         "(%d-mal)",
		"Older events":                       "Ältere Ereignisse",
	}
}
