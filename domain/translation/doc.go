// Package translation finds the texts of definitions in the language of a reader. The texts of a definition are in its
// default language; its catalogue has translations of them under the keys of JSON Forms.
package translation
