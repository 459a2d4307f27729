// Command data-source is a worker that answers for the data source GOODS.
package main

import (
	"github.com/procession-dev/procession/examples/data-source/goods"
	"github.com/procession-dev/procession/sdk"
)

func main() {
	procession.Program{Name: "data-source", Prefix: "DATA_SOURCE", TaskQueue: goods.TaskQueue, Register: goods.Register}.Main()
}
