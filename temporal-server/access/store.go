package access

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

// Store holds the state that all frontends of a cluster share, also after a restart. [NewMemoryStore] is for a cluster that ends with its
// only process; package pgstore has one for PostgreSQL. Implementations must be safe for concurrent use.
type Store interface {
	// SealKey returns the key of the cluster's seals: [SealKeyBytes] random bytes, which the first call generates.
	SealKey(ctx context.Context) ([]byte, error)

	// Claim makes a claim's subject the owner of its queue when the queue has none, and returns the owner. A claim of the owner
	// renews the ownership. The claim of a normal queue, without a subject, takes the queue from its owner. Claim returns
	// [ErrTooManyQueues] when the queue has no owner and the subject owns most queues already.
	Claim(ctx context.Context, c Claim, most int) (owner string, err error)

	// Owner returns the subject that owns a queue; known is false when the queue has no owner.
	Owner(ctx context.Context, namespace, queue string) (owner string, known bool, err error)

	// Forget removes ownerships that were not renewed since a time.
	Forget(ctx context.Context, before time.Time) error
}

// Claim identifies a task queue and the subject that claims it.
type Claim struct {
	Namespace, Queue string
	// Subject is empty for a normal queue.
	Subject string
	// At is the time of the claim.
	At time.Time
}

// ErrTooManyQueues is returned by [Store.Claim] for a subject that owns the maximum number of queues.
var ErrTooManyQueues = errors.New("the subject owns too many task queues")

type memoryStore struct {
	key []byte

	mu     sync.Mutex
	owners map[queueName]ownership
	owned  map[queueName]int // number of queues by namespace and subject
}

type queueName struct{ namespace, name string }

type ownership struct {
	subject string
	renewed time.Time
}

// NewMemoryStore returns a Store for a Temporal that is one process with its database
// in memory. Other clusters need a persistent store: otherwise a restart invalidates
// tokens, and any subject can claim a sticky queue.
func NewMemoryStore() Store {
	key := make([]byte, SealKeyBytes)
	_, _ = rand.Read(key) // it never fails
	return &memoryStore{key: key, owners: map[queueName]ownership{}, owned: map[queueName]int{}}
}

// SealKey implements [Store].
func (m *memoryStore) SealKey(context.Context) ([]byte, error) { return m.key, nil }

// Claim implements [Store].
func (m *memoryStore) Claim(_ context.Context, c Claim, most int) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	queue := queueName{c.Namespace, c.Queue}
	owner, known := m.owners[queue]
	if known && owner.subject != c.Subject && c.Subject != "" {
		return owner.subject, nil
	}
	if !known && c.Subject != "" && m.owned[queueName{c.Namespace, c.Subject}] >= most {
		return "", ErrTooManyQueues
	}
	m.removeOwner(queue)
	m.owners[queue] = ownership{subject: c.Subject, renewed: c.At}
	m.owned[queueName{c.Namespace, c.Subject}]++
	return c.Subject, nil
}

// Owner implements [Store].
func (m *memoryStore) Owner(_ context.Context, namespace, queue string) (string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	owner, known := m.owners[queueName{namespace, queue}]
	return owner.subject, known, nil
}

// Forget implements [Store].
func (m *memoryStore) Forget(_ context.Context, before time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for queue, owner := range m.owners {
		if owner.renewed.Before(before) {
			m.removeOwner(queue)
		}
	}
	return nil
}

func (m *memoryStore) removeOwner(queue queueName) {
	owner, known := m.owners[queue]
	if !known {
		return
	}
	delete(m.owners, queue)
	subject := queueName{queue.namespace, owner.subject}
	if m.owned[subject]--; m.owned[subject] == 0 {
		delete(m.owned, subject)
	}
}
