package flow

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
)

// digest returns the digest of t; the digests of the Trees that t holds must be set. Each text is preceded by its
// length, so that different texts don't give the same sequence of bytes.
func digest(t *Tree) string {
	b := make([]byte, 0, 512)
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	text("asyncsteps/1") // the version of this format
	text(t.Kind)
	text(t.Name)
	text(string(t.Role))
	text(t.In)
	text(t.Out)
	if t.Edges != nil { // a digest is longer than this word, so the word isn't mistaken for one
		text("edges")
		for _, from := range t.Edges {
			text(fmt.Sprint(from))
		}
	}
	for _, held := range t.Holds {
		text(held.Digest)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// typeName returns the type as Go source would name it, with the full paths of the packages, so that two types called
// Order are told apart. Functions, channels, and structs and interfaces without a name are formatted by package
// reflect, with only the names of packages.
func typeName(t reflect.Type) string {
	if t.Name() != "" {
		if t.PkgPath() == "" {
			return t.Name()
		}
		return t.PkgPath() + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeName(t.Elem())
	case reflect.Slice:
		return "[]" + typeName(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + typeName(t.Elem())
	case reflect.Map:
		return "map[" + typeName(t.Key()) + "]" + typeName(t.Elem())
	default:
		return t.String()
	}
}
