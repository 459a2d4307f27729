package dev

import (
	"github.com/procession-dev/procession/console/signin"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/devstack/demo"
)

// demoUsers returns the users of the local stack's demo data.
func demoUsers() []signin.DemoUser {
	about := map[string]string{
		"Alice": ui.Text("manages all processes"), "Bob": ui.Text("reviews loans"), "Carol": ui.Text("applies for loans"),
	}
	var users []signin.DemoUser
	for _, a := range []demo.Account{demo.Carol(), demo.Bob(), demo.Alice()} {
		users = append(users, signin.DemoUser{Name: a.Name, About: about[a.Name], Token: a.Secret})
	}
	return users
}
