package lang

import (
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Counter is an argument of a text that has a number.
type Counter interface{ Count() int }

// singulars contains the texts with a count in the form for one, by language and by their form for other numbers.
//
//nolint:gochecknoglobals // computed once and never changed
var singulars = sync.OnceValue(func() map[language.Tag]map[string]string {
	return map[language.Tag]map[string]string{language.English: englishSingulars(), language.German: germanSingulars()}
})

// countedArguments contains the places of the counts that are not the first argument.
func countedArguments() map[string]int {
	return map[string]int{"%d %% (%d of %d texts)": 2, "%s: %d notifications": 1}
}

// chooseForm returns the text in the plural form of its count, and whether the text has one (CLDR, cardinal numbers).
func chooseForm(tag language.Tag, text string, args []any) (string, bool) {
	one, ok := singulars()[tag][text]
	if !ok {
		return "", false
	}
	place := countedArguments()[text]
	if place >= len(args) {
		return "", false
	}
	n, ok := countOf(args[place])
	return one, ok && plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0) == plural.One
}

func countOf(arg any) (int, bool) {
	switch n := arg.(type) {
	case Counter:
		return n.Count(), true
	case int:
		return n, true
	}
	return 0, false
}

func englishSingulars() map[string]string {
	return map[string]string{ //nolint:gosec // texts
		"%d tasks were not changed:": "%d task was not changed:", "%d tasks are yours now.": "%d task is yours now.",
		"%d tasks were released.": "%d task was released.", "%d tasks were completed.": "%d task was completed.",
		"%d tasks were assigned.": "%d task was assigned.", "%d tasks were delegated.": "%d task was delegated.",
		"%d processes": "%d process", "%d tasks": "%d task", "Checked: all %d processes.": "Checked: %d process.",
		"%d new tasks to claim": "%d new task to claim", "%s: %d notifications": "%s: %d notification",
		"%d bytes": "%d byte", "(%d times)": "(%d time)", "%d open tasks": "%d open task",
		"%d open tasks will be cancelled.":                         "%d open task will be cancelled.",
		"%d open tasks stay open and can still be completed.":      "%d open task stays open and can still be completed.",
		"The test was written: %d messages. Their state is below.": "The test was written: %d message. Its state is below.",
		"Who should do these %d tasks?":                            "Who should do this %d task?",
		"%d parts of documents are left to read.":                  "%d part of a document is left to read.",
		"%d workers online":                                        "%d worker online",
		"%d poll":                                                  "%d polls",
		"%d tasks wait, the oldest for %s":                         "%d task waits, for %s",
		"for %d hours":                                             "for %d hour",
		"for %d days":                                              "for %d day",
		"failed %d times, first %s":                                "failed %d time, %s",
		"%d incidents":                                             "%d incident",
		"%d problems":                                              "%d problem",
		"%d warnings":                                              "%d warning",
		"%d %% (%d of %d texts)":                                   "%d %% (%d of %d text)",
		"%d operations":                                            "%d operation",
		"%d fields":                                                "%d field",
		"%d members":                                               "%d member",
		"%d of %d checks fail.":                                    "%d of %d checks fails.",
		"No check fails; %d of %d warn.":                           "No check fails; %d of %d warns.",
		"All %d checks pass.":                                      "%d check passes.",
		"%d checks pass":                                           "%d check passes",
		"after it was sent again %d times":                         "after it was sent again %d time",
		"%d deliveries are sent again.":                            "%d delivery is sent again.",
		"%d of the latest %d deliveries succeeded":                 "%d of the latest %d deliveries succeeded",
		"%d retrying":                                              "%d retrying",
		"%d attempts":                                              "%d attempt",
		"Choose the day on which it stops working; by default after %d days.": "Choose the day on which it stops working; by default after %d day.",
		"%d claimed tasks":                  "%d claimed task",
		"%d running processes as initiator": "%d running process as initiator",
		"%d assigned incidents":             "%d assigned incident",
		"%d tasks wait":                     "%d task waits",
	}
}

func germanSingulars() map[string]string {
	return map[string]string{ //nolint:gosec // texts
		"%d tasks were not changed:": "%d Aufgabe wurde nicht geändert:", "%d tasks are yours now.": "%d Aufgabe gehört jetzt Ihnen.",
		"%d tasks were released.": "%d Aufgabe wurde freigegeben.", "%d tasks were completed.": "%d Aufgabe wurde abgeschlossen.",
		"%d tasks were assigned.": "%d Aufgabe wurde zugewiesen.", "%d tasks were delegated.": "%d Aufgabe wurde delegiert.",
		"%d processes": "%d Vorgang", "%d tasks": "%d Aufgabe", "Checked: all %d processes.": "Geprüft: %d Vorgang.",
		"%d new tasks to claim": "%d neue Aufgabe zu übernehmen", "%s: %d notifications": "%s: %d Benachrichtigung",
		"%d bytes": "%d Byte", "(%d times)": "(%d-mal)", "%d open tasks": "%d offene Aufgabe",
		"%d open tasks will be cancelled.":                         "%d offene Aufgabe wird abgebrochen.",
		"%d open tasks stay open and can still be completed.":      "%d offene Aufgabe bleibt offen und kann noch erledigt werden.",
		"The test was written: %d messages. Their state is below.": "Der Test ist geschrieben: %d Nachricht. Ihr Zustand steht unten.",
		"Who should do these %d tasks?":                            "Wer soll diese %d Aufgabe erledigen?",
		"%d parts of documents are left to read.":                  "%d Teil eines Dokuments ist noch zu lesen.",
		"%d workers online":                                        "%d Worker online",
		"%d poll":                                                  "%d fragt ab",
		"%d tasks wait, the oldest for %s":                         "%d Aufgabe wartet, seit %s",
		"for %d hours":                                             "für %d Stunde",
		"for %d days":                                              "für %d Tag",
		"failed %d times, first %s":                                "%d-mal fehlgeschlagen, %s",
		"%d incidents":                                             "%d Störung",
		"%d problems":                                              "%d Fehler",
		"%d warnings":                                              "%d Warnung",
		"%d %% (%d of %d texts)":                                   "%d %% (%d von %d Text)",
		"%d operations":                                            "%d Operation",
		"%d fields":                                                "%d Feld",
		"%d members":                                               "%d Mitglied",
		"%d of %d checks fail.":                                    "%d von %d Prüfungen schlägt fehl.",
		"No check fails; %d of %d warn.":                           "Keine Prüfung schlägt fehl; %d von %d warnt.",
		"All %d checks pass.":                                      "%d Prüfung ist bestanden.",
		"%d checks pass":                                           "%d Prüfung bestanden",
		"after it was sent again %d times":                         "nach %d-mal erneutem Senden",
		"%d deliveries are sent again.":                            "%d Zustellung wird erneut gesendet.",
		"%d of the latest %d deliveries succeeded":                 "%d der letzten %d Zustellungen gelang",
		"%d retrying":                                              "%d wird wiederholt",
		"%d attempts":                                              "%d Versuch",
		"Choose the day on which it stops working; by default after %d days.": "Wählen Sie den Tag, an dem es endet; vorgegeben ist %d Tag.",
		"%d claimed tasks":                  "%d übernommene Aufgabe",
		"%d running processes as initiator": "%d laufender Prozess als Initiator",
		"%d assigned incidents":             "%d zugewiesene Störung",
		"%d tasks wait":                     "%d Aufgabe wartet",
	}
}
