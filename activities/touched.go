package activities

import "sync"

// touched tells observers in this process of what the relay does in it.
type touched struct {
	mu       sync.Mutex
	channels map[string]chan struct{}
}

func newTouched() *touched { return &touched{channels: map[string]chan struct{}{}} }

// channel holds a value when the namespace was touched since it was last read.
func (t *touched) channel(namespace string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok := t.channels[namespace]
	if !ok {
		c = make(chan struct{}, 1)
		t.channels[namespace] = c
	}
	return c
}

func (t *touched) touch(namespace string) {
	select {
	case t.channel(namespace) <- struct{}{}:
	default:
	}
}
