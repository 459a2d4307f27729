// Package textlayer corrects the text layer of PDFs that Typst writes. Typst draws the marks of a cluster of characters,
// as in Khmer or pointed Hebrew, at heights of their own, and gives the text of the cluster to each part, so that search
// and copy find it several times. The corrected document has the text once; its pages look the same.
package textlayer
