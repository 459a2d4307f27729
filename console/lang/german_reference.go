package lang

// germanReference returns the texts of the API reference. What the contracts say is English.
func germanReference() map[string]string {
	return map[string]string{
		"API reference": "API-Referenz",
		"The contracts of the REST interface, for those who write programs that call it.": "Die Verträge der REST-Schnittstelle, für alle, die Programme für sie schreiben.",
		"%d operations":                         "%d Operationen",
		"OpenAPI document":                      "OpenAPI-Dokument",
		"Search by path, name or words":         "Nach Pfad, Name oder Wörtern suchen",
		"Search operations":                     "Operationen suchen",
		"No operation matches.":                 "Keine Operation passt.",
		"Try fewer words, or a part of a path.": "Versuchen Sie weniger Wörter oder einen Teil eines Pfads.",
		"About this API":                        "Über diese API",
		"Who may":                               "Wer darf",
		"What a caller may see and do follows from their rights.": "Was ein Aufrufer sehen und tun darf, folgt aus seinen Rechten.",
		"Parameters":      "Parameter",
		"Body":            "Inhalt",
		"Answers":         "Antworten",
		"Codes of errors": "Fehlercodes",
		"Every failure":   "Jeder Fehler",
		"Headers":         "Kopfzeilen",
		"%d members":      "%d Felder",
		"Description":     "Beschreibung",
		"Example":         "Beispiel",
		"required":        "erforderlich",
	}
}
