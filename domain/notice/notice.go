// Package notice writes notifications of problems, and decides when they may be sent.
package notice

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain"
)

// Group contains the problems of one type that a message tells. Opened and Recovered count all of them, Listed are the first.
type Group struct {
	// Tenant is the display name of the tenant, Zone its time zone.
	Tenant string
	Zone   *time.Location
	// BaseURL is the beginning of links, "" for none.
	BaseURL           string
	Problem           string
	Opened, Recovered int
	Listed            []Problem
}

// Problem is a problem of a Group.
type Problem struct {
	// Subject names the endpoint, queue or certificate, or the definition of an incident or a process. Text is the cause.
	Subject, Text string
	At            time.Time
	Recovered     bool
}

// Message is a notification.
type Message struct {
	Tenant, Problem, Title, Text, Link string
	Count                              int
}

// wording contains the words for a type of problem: singular and plural of the noun, what happened, its end, and the path of the page.
type wording struct{ one, many, opened, recovered, path string }

func wordingOf(problem string) wording {
	switch problem {
	case domain.ProblemIncident:
		return wording{"incident", "incidents", "opened", "resolved", "/console/incidents"}
	case domain.ProblemEndpoint:
		return wording{"webhook endpoint", "webhook endpoints", "disabled", "enabled", "/console/webhooks"}
	case domain.ProblemQueue:
		return wording{"task queue", "task queues", "without workers", "served again", "/console/queues"}
	case domain.ProblemCertificate:
		return wording{"certificate", "certificates", "expiring soon", "renewed", "/console/health"}
	case domain.ProblemLeftWork:
		return wording{"person", "people", "left with open work", "with all work settled", "/console/people/unowned"}
	default:
		return wording{"process", "processes", "in need of attention", "proceeding", "/console/processes"}
	}
}

// Compose writes the message of a group.
func Compose(g Group) Message {
	words := wordingOf(g.Problem)
	var parts []string
	count := func(n int, happened string) {
		if n > 0 {
			parts = append(parts, domain.CountText(n, words.one, words.many)+" "+happened)
		}
	}
	count(g.Opened, words.opened)
	count(g.Recovered, words.recovered)
	m := Message{
		Tenant: g.Tenant, Problem: g.Problem, Count: g.Opened + g.Recovered, Title: g.Tenant + ": " + strings.Join(parts, ", "),
	}
	lines := make([]string, 0, len(g.Listed)+1)
	for _, p := range g.Listed {
		lines = append(lines, p.describeIn(words, g.Zone))
	}
	if more := m.Count - len(g.Listed); more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	m.Text = strings.Join(lines, "\n")
	if g.BaseURL != "" {
		m.Link, _ = url.JoinPath(g.BaseURL, words.path)
	}
	return m
}

// longestText bounds the cause of a problem in a message, in characters.
const longestText = 200

// describeIn writes a problem on one line.
func (p Problem) describeIn(words wording, zone *time.Location) string {
	happened := words.opened
	if p.Recovered {
		happened = words.recovered
	}
	line := fmt.Sprintf("- %s %s", p.At.In(zone).Format("2006-01-02 15:04"), happened)
	if p.Subject != "" {
		line += ": " + p.Subject
	}
	if text := strings.Join(strings.Fields(p.Text), " "); text != "" {
		line += ": " + domain.CutText(text, longestText)
	}
	return line
}

// Test returns the message that tests a receiver.
func Test(tenant, receiver, baseURL string) Message {
	return Message{
		Tenant: tenant, Problem: "TEST", Title: tenant + ": test of the notification receiver " + receiver, Count: 1, Link: baseURL,
		Text: "An administrator tests this receiver. There is nothing to do.",
	}
}
