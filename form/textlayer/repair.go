package textlayer

import (
	"cmp"
	"context"
	"regexp"
	"slices"
)

var (
	pageHead      = regexp.MustCompile(`^\d+ 0 obj\n<</Type/Page/`)
	pageContents  = regexp.MustCompile(`/Contents (\d{1,7}) 0 R`)
	pageResources = regexp.MustCompile(`/Resources (\d{1,7}) 0 R`)
	fontTable     = regexp.MustCompile(`/Font<<([^>]*)>>`)
	fontEntry     = regexp.MustCompile(`(/\w+) (\d{1,7}) 0 R`)
)

// Repair returns the document with each cluster once in its text layer, and with the characters of a cluster that is read
// from right to left in the order of the page, as readers expect it. Pages of an unknown structure stay as they are. It
// returns the error of the context.
func Repair(ctx context.Context, document []byte) ([]byte, error) {
	f := readFile(document)
	if f == nil {
		return document, nil
	}
	fonts, changed := map[int]*font{}, false
	for _, number := range f.order {
		if !pageHead.Match(f.objects[number]) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		changed = f.repairPage(f.objects[number], fonts) || changed
	}
	for number := range fonts {
		changed = f.reverseTexts(number) || changed
	}
	if !changed {
		return document, nil
	}
	return f.writeFile(), nil
}

// repairPage repairs the content of a page and reports whether it has changed. fonts are the fonts by number.
func (f *file) repairPage(object []byte, fonts map[int]*font) bool {
	number := readReference(object, pageContents)
	content := f.readStream(number)
	if content == nil {
		return false
	}
	named := map[string]*font{}
	if table := fontTable.FindSubmatch(f.objectOf(readReference(object, pageResources))); table != nil {
		for _, entry := range fontEntry.FindAllSubmatch(table[1], -1) {
			at := readReference(entry[0], fontReference)
			if _, known := fonts[at]; !known {
				fonts[at] = f.readFont(at)
			}
			named[string(entry[1])] = fonts[at]
		}
	}
	p := readPage(content, named)
	if p == nil {
		return false
	}
	edits := p.repairs()
	if len(edits) == 0 {
		return false
	}
	f.replaceStream(number, applyEdits(content, edits))
	return true
}

var fontReference = regexp.MustCompile(`(\d{1,7}) 0 R`)

// repairs returns the edits that join the parts of clusters, in ascending order.
func (p *page) repairs() []edit {
	var edits []edit
	for i := 0; i < len(p.units); {
		end := i + 1
		for end < len(p.units) && p.units[i].text != "" && p.units[end].text == p.units[i].text && p.areParts(end-1, end) {
			end++
		}
		for _, cluster := range splitClusters(p.units[i:end]) {
			edits = append(edits, p.joinCluster(cluster)...)
		}
		i = end
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	return edits
}

// areParts reports whether adjacent units can be parts of a cluster: they are at different heights.
func (p *page) areParts(a, b int) bool {
	from, to := p.units[a].piece, p.units[b].piece
	return to == from+1 && p.isContinued(from)
}

// splitClusters splits units with the same text into clusters. A cluster that is written several times has parts of the
// same kinds.
func splitClusters(units []unit) [][]unit {
	for period := 1; period < len(units); period++ {
		if len(units)%period == 0 && isPeriodic(units, period) {
			return slices.Collect(slices.Chunk(units, period))
		}
	}
	return [][]unit{units}
}

func isPeriodic(units []unit, period int) bool {
	for i := period; i < len(units); i++ {
		a, b := &units[i-period], &units[i]
		if len(a.glyphs) != len(b.glyphs) || (a.sumAdvances() > 0) != (b.sumAdvances() > 0) {
			return false
		}
	}
	return true
}
