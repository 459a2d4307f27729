package console_test

import (
	"flag"
	"path/filepath"
	"strconv"
	"testing"
)

// Where "make screenshots" wants the pictures of the documentation.
var screenshots = flag.String("screenshots", "", "write pictures of the screens into this folder")

// Pictures are taken of a site of their own, with loans that people would have.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	if *screenshots == "" {
		t.Skip("-screenshots names no folder")
	}
	s := makeSite(t)
	s.t = t
	for _, subject := range []string{"Loan for a cargo bicycle", "Loan for a greenhouse", "Loan for kitchen works", "Loan for a used van"} {
		s.task(s.loan(subject), "APPROVE_LOAN", `{"FIRST_NAME":"Carol","LAST_NAME":"Demo","AMOUNT":"7500"}`)
	}
	open := s.task(s.loan("Loan for a bakery oven"), "APPROVE_LOAN", `{"FIRST_NAME":"Carol","LAST_NAME":"Demo","AMOUNT":"12500"}`)
	s.task(s.loan("Loan for a piano"), "LOAN_APPLICATION", "")
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 320} {
			name := func(screen string) string {
				return filepath.Join(*screenshots, screen+"-"+scheme+"-"+strconv.FormatInt(width, 10)+".png")
			}
			visitor := s.visitor()
			visitor.Size(width, 800)
			visitor.Scheme(scheme)
			visitor.Open(s.url + "sign-in")
			visitor.Screenshot(name("sign-in"))
			bob := s.signIn("Bob")
			bob.Size(width, 800)
			bob.Scheme(scheme)
			for screen, path := range map[string]string{
				"tasks": "tasks", "task": "tasks/" + open.String() + "?view=to-claim", "empty": "tasks?view=done",
				"assign": "tasks/assign?task=" + open.String(), "sessions": "sessions", "palette": "palette?q=loan",
				"not-found": "tasks/" + open.String()[:35] + "0",
			} {
				bob.open(path)
				bob.Screenshot(name(screen))
			}
		}
	}
}
