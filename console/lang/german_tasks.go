package lang

// germanTasks returns the texts of tasks outside of their forms.
func germanTasks() map[string]string {
	return map[string]string{
		"%s is working on this task.":     "%s arbeitet an dieser Aufgabe.",
		"Claim this task to fill it in.":  "Übernehmen Sie diese Aufgabe, um sie auszufüllen.",
		"Nobody is working on this task.": "Niemand arbeitet an dieser Aufgabe.",
		"Edit anyway":                     "Trotzdem bearbeiten",
		"You are editing the form of %s.": "Sie bearbeiten das Formular von %s.",
		"Help from a model":               "Hilfe von einem Modell",
		"Ask for help":                    "Um Hilfe bitten",
		"Ask again":                       "Noch einmal fragen",
		"A model can read this task and fill in empty fields. You check the result.":             "Ein Modell kann diese Aufgabe lesen und leere Felder ausfüllen. Sie prüfen das Ergebnis.",
		"A model can read this task and make suggestions. Nothing changes before you accept it.": "Ein Modell kann diese Aufgabe lesen und Vorschläge machen. Nichts ändert sich, bevor Sie es annehmen.",
		"The model is reading the task. You can continue to work on it.":                         "Das Modell liest die Aufgabe. Sie können daran weiterarbeiten.",
		"%d parts of documents are left to read.":                                                "%d Teile von Dokumenten sind noch zu lesen.",
		"%s, run %d":               "%s, Lauf %d",
		"Written by %s, run %d":    "Geschrieben von %s, Lauf %d",
		"Preview":                  "Vorschau",
		"Preview of %s":            "Vorschau von %s",
		"Accept":                   "Annehmen",
		"Accept all":               "Alle annehmen",
		"Accept for %s":            "Annehmen für %s",
		"In the form":              "Im Formular",
		"The model took too long.": "Das Modell hat zu lange gebraucht.",
		"The model is unavailable. Try again later.":                              "Das Modell ist nicht verfügbar. Versuchen Sie es später noch einmal.",
		"The model refuses requests. Ask an administrator to check its settings.": "Das Modell lehnt Anfragen ab. Bitten Sie eine Administratorin oder einen Administrator, die Einstellungen zu prüfen.",
		"The model gave no usable answer. Try again.":                             "Das Modell hat keine brauchbare Antwort gegeben. Versuchen Sie es noch einmal.",
		"The model declined to answer.":                                           "Das Modell hat die Antwort abgelehnt.",
	}
}
