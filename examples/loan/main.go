// Command loan is a worker for the processes LOAN and EXPENSES, the user actions of LOAN, and the actions on CUSTOMER.
package main

import (
	"github.com/procession-dev/procession/examples/loan/customers"
	"github.com/procession-dev/procession/examples/loan/expenses"
	"github.com/procession-dev/procession/examples/loan/lending"
	"github.com/procession-dev/procession/examples/loan/useractions"
	"github.com/procession-dev/procession/sdk"
)

func main() {
	procession.Program{Name: "loan", Prefix: "LOAN_WORKER", TaskQueue: lending.TaskQueue, Register: registerWorkflows}.Main()
}

func registerWorkflows(w *procession.Worker) error {
	lending.Register(w)
	expenses.Register(w)
	useractions.Register(w)
	customers.Register(w)
	return nil
}
