package lang

// germanTasks returns the texts of tasks, beside their forms, in German.
func germanTasks() map[string]string {
	return map[string]string{
		"Help from a model": "Hilfe von einem Modell",
		"Ask for help":      "Um Hilfe bitten",
		"Ask again":         "Noch einmal fragen",
		"A model can read this task and fill in what is empty. You check what it wrote.":         "Ein Modell kann diese Aufgabe lesen und Leeres ausfüllen. Sie prüfen, was es geschrieben hat.",
		"A model can read this task and make suggestions. Nothing changes before you accept it.": "Ein Modell kann diese Aufgabe lesen und Vorschläge machen. Nichts ändert sich, bevor Sie es annehmen.",
		"The model is reading the task. You can go on with it.":                                  "Das Modell liest die Aufgabe. Sie können daran weiterarbeiten.",
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
		"The model cannot be reached at the moment. Try again later.":                                "Das Modell ist im Moment nicht erreichbar. Versuchen Sie es später noch einmal.",
		"The model does not take questions from here. An administrator has to look at its settings.": "Das Modell nimmt von hier keine Fragen an. Eine Administratorin oder ein Administrator muss die Einstellungen prüfen.",
		"The model gave no answer that could be used. Another attempt may help.":                     "Das Modell hat keine brauchbare Antwort gegeben. Ein weiterer Versuch kann helfen.",
		"The model declined to answer.":                                                              "Das Modell hat die Antwort abgelehnt.",
	}
}
