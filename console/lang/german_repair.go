package lang

// germanRepair returns the texts of repairs of processes.
func germanRepair() map[string]string {
	return map[string]string{
		"reopened a task as a repair":                   "hat als Reparatur eine Aufgabe wieder geöffnet",
		"changed the data of a task as a repair":        "hat als Reparatur die Daten einer Aufgabe geändert",
		"changed the metadata as a repair":              "hat als Reparatur die Metadaten geändert",
		"changed the entity as a repair":                "hat als Reparatur die Entität geändert",
		"completed a step of the workflow by hand":      "hat einen Schritt des Ablaufs von Hand abgeschlossen",
		"continued the workflow from an earlier point":  "hat den Ablauf ab einem früheren Punkt fortgesetzt",
		"started the workflow again from its beginning": "hat den Ablauf von vorn gestartet",
		"terminated the process and its workflow":       "hat den Vorgang und seinen Ablauf abgebrochen",
		"moved the process to another version":          "hat den Vorgang auf eine andere Version umgestellt",
		"repaired the process":                          "hat den Vorgang repariert",
	}
}
