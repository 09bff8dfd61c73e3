package binval

import (
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

func (b block) valid() bool {
	switch b.flags {
	case String:
		return utf8.ValidString(b.string())
	case UTF16:
		return validUTF16(b.utf16())
	default:
		return validUTF32(b.utf32())
	}
}

// validUTF16 reports whether all surrogates come in pairs.
func validUTF16(s []uint16) bool {
	for i := 0; i < len(s); i++ {
		if !utf16.IsSurrogate(rune(s[i])) {
			continue
		}
		if i+1 == len(s) || utf16.DecodeRune(rune(s[i]), rune(s[i+1])) == utf8.RuneError {
			return false
		}
		i++
	}
	return true
}

func validUTF32(s []rune) bool {
	for _, r := range s {
		if !utf8.ValidRune(r) {
			return false
		}
	}
	return true
}

// transcode copies a valid string into the variable at p, whose type has the flags want.
func (b block) transcode(want Flags, p unsafe.Pointer) {
	switch want {
	case String:
		*(*string)(p) = b.utf8()
	case UTF16:
		if b.flags == UTF16 {
			*(*[]uint16)(p) = append(make([]uint16, 0, b.n), b.utf16()...)
			return
		}
		*(*[]uint16)(p) = utf16.Encode(b.runes())
	default:
		*(*[]rune)(p) = b.runes()
	}
}

func (b block) utf8() string {
	if b.flags == String {
		return string(b.bytes())
	}
	return string(b.runes())
}

func (b block) runes() []rune {
	switch b.flags {
	case String:
		return []rune(b.string())
	case UTF16:
		return utf16.Decode(b.utf16())
	default:
		return append(make([]rune, 0, b.n), b.utf32()...)
	}
}
