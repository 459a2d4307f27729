package lang

// germanWork returns the texts of home and of the screens of artifacts.
func germanWork() map[string]string {
	return map[string]string{
		"Home":                                   "Übersicht",
		"Hello, %s":                              "Hallo, %s",
		"Your tasks":                             "Ihre Aufgaben",
		"You have claimed nothing.":              "Sie haben nichts übernommen.",
		"There is nothing that you could claim.": "Es gibt nichts, was Sie übernehmen könnten.",
		"Waiting for others":                     "Wartet auf andere",
		"Nothing waits for others.":              "Nichts wartet auf andere.",
		"Started by you":                         "Von Ihnen gestartet",
		"Nothing that you have started is running.": "Nichts, was Sie gestartet haben, läuft.",
		"Recent activity": "Zuletzt geschehen",
		"What happens in processes that you may see appears here.": "Hier erscheint, was in Vorgängen geschieht, die Sie sehen dürfen.",
		"First steps":                  "Erste Schritte",
		"%d of %d done":                "%d von %d erledigt",
		"(done)":                       "(erledigt)",
		"Publish a process definition": "Prozessdefinition veröffentlichen",
		"It says what a process is made of and who may do what. Apply it with the command line.": "Sie legt fest, woraus ein Vorgang besteht und wer was darf. Wenden Sie sie über die Befehlszeile an.",
		"Connect a worker": "Worker verbinden",
		"It is the program that runs the workflows of your processes, and registers itself when it starts.": "Das Programm, das die Workflows Ihrer Vorgänge ausführt. Es meldet sich beim Starten selbst an.",
		"Choose its kind, and say what it is about.":                                                        "Wählen Sie seine Art und sagen Sie, worum es geht.",
		"Complete a task": "Aufgabe abschließen",
		"Claim one, fill in its form and complete it. The process goes on by itself.": "Übernehmen Sie eine, füllen Sie ihr Formular aus und schließen Sie sie ab. Der Vorgang läuft von selbst weiter.",
	}
}
