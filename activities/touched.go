package activities

import (
	"sync"

	"github.com/procession-dev/procession/internal/loop"
)

// touched wakes the observers in this process when its relay executes a command.
type touched struct {
	mu       sync.Mutex
	channels map[string]loop.Signal
}

func newTouched() *touched { return &touched{channels: map[string]loop.Signal{}} }

// channel returns a channel that holds a value when the namespace was touched
// since it was last read.
func (t *touched) channel(namespace string) loop.Signal {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok := t.channels[namespace]
	if !ok {
		c = loop.NewSignal()
		t.channels[namespace] = c
	}
	return c
}

func (t *touched) touch(namespace string) { t.channel(namespace).Wake() }
