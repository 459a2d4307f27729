// Package locale reads and writes numbers, dates and times in the notation of a language. Numbers are texts: no digit is
// lost. Symbols of numbers come from golang.org/x/text, patterns and names of dates from the Unicode CLDR.
package locale
