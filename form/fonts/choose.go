package fonts

import "unicode"

// Choose returns the fonts for clusters of characters, the first one for Latin letters, and the clusters that no font
// has completely.
func (x *Index) Choose(clusters []string) (faces []Face, missing []string) {
	first, _ := x.find("Az09")
	chosen := []*face{first}
	for _, cluster := range clusters {
		if hasCluster(chosen, cluster) {
			continue
		}
		f, ok := x.find(cluster)
		if !ok {
			missing = append(missing, cluster)
			continue
		}
		chosen = append(chosen, f)
	}
	for _, f := range chosen {
		faces = append(faces, f.Face)
	}
	return faces, missing
}

// find returns the best font with all characters of a cluster.
func (x *Index) find(cluster string) (*face, bool) {
	for i := range x.faces {
		if x.faces[i].hasCluster(cluster) {
			return &x.faces[i], true
		}
	}
	return nil, false
}

func hasCluster(faces []*face, cluster string) bool {
	for _, f := range faces {
		if f.hasCluster(cluster) {
			return true
		}
	}
	return false
}

func (f *face) hasCluster(cluster string) bool {
	for _, r := range cluster {
		if unicode.IsControl(r) || !isIgnorable(r) && !f.hasRune(r) {
			return false
		}
	}
	return true
}

// isIgnorable reports whether a character is invisible, or a space, so that it needs no glyph.
func isIgnorable(r rune) bool {
	switch {
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case unicode.In(r, unicode.Cf, unicode.Zs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return true
	}
	return false
}
