package domain

// PageRequest requests one page of a list. Number counts from 0; Size is 0..1000, and 0 requests the totals
// alone (specification section 4.1).
type PageRequest struct {
	Number int
	Size   int
}

// SortKey orders a list by one property, named as the API names it.
type SortKey struct {
	Property   string
	Descending bool
}

// Page is one page of a list together with the total number of matching elements.
type Page[T any] struct {
	PageRequest
	Items []T
	Total int64
	// TotalIsLowerBound reports whether more elements than Total may match.
	TotalIsLowerBound bool
}

// TotalPages returns the number of pages of this size, 0 when the size is 0.
func (p Page[T]) TotalPages() int {
	if p.Size == 0 {
		return 0
	}
	return int((p.Total + int64(p.Size) - 1) / int64(p.Size))
}

// Listing is a page read item by item, because all items together may not fit into memory.
type Listing[T any] struct {
	Page[T]
	// Batches is nil if Items holds the whole page. Otherwise Items is empty and Batches calls show with the
	// items in order, some at a time. It returns the error of show, or the error that prevented reading the
	// items.
	Batches func(show func(items []T) error) error
}

// Each calls visit with every item in order, until it returns an error, and returns that.
func (l *Listing[T]) Each(visit func(*T) error) error {
	each := func(items []T) error {
		for i := range items {
			if err := visit(&items[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if l.Batches != nil {
		return l.Batches(each)
	}
	return each(l.Items)
}
