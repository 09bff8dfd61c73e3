package binval

import "unsafe"

// Field describes one argument of a [Codec]: how it is made from a T, and how it is stored in a T. The zero Field is an argument that
// isn't used. Make others with [At], [AtNumber], [AtCustom] and [AtValue].
//
// The functions in a Field take and return Values, not pointers to Values: a pointer given to a function that
// the compiler doesn't know would move the arguments to the heap.
type Field[T any] struct {
	encode func(*T) (Value, error)
	decode func(Value, *T) error
	// move makes the T the owner of the value. It is nil for a Field whose decode copies the value. undo releases what was moved. undo is
	// nil if the object has no release function, or if resetting the argument still releases the value.
	move func(Value) (undo func(), err error)
}

// At makes a Field of a type that the binary interface knows. The function at returns the address of the field in a T; if at is nil or
// returns nil, the methods of the Codec fail with ErrField.
func At[T any, A Data](at func(*T) *A) Field[T] { return plain(flagsOf[A](), at) }

// AtNumber is At for numbers of named types, see [FromNumber].
func AtNumber[T any, A Number](at func(*T) *A) Field[T] { return plain(numberFlags[A](), at) }

func plain[T, A any](f Flags, at func(*T) *A) Field[T] {
	return Field[T]{
		encode: func(t *T) (Value, error) {
			p, err := locate(at, t)
			if err != nil {
				return Value{}, err
			}
			return encode(f, unsafe.Pointer(p))
		},
		decode: func(v Value, t *T) error {
			p, err := locate(at, t)
			if err != nil {
				return err
			}
			return decode(f, unsafe.Pointer(p), &v)
		},
	}
}

// AtCustom makes a Field of any other Go type. release is called with an encoded
// object when the arguments are reset, see [FromCustom]; it may be nil. A decoded
// object belongs to the T, and no release function is called for it.
func AtCustom[T, A any](at func(*T) *A, release func(A)) Field[T] {
	return Field[T]{
		encode: func(t *T) (Value, error) {
			p, err := locate(at, t)
			if err != nil {
				return Value{}, err
			}
			return FromCustom(*p, release), nil
		},
		decode: func(v Value, t *T) error {
			p, err := locate(at, t)
			if err == nil {
				*p, err = ToCustom[A](&v)
			}
			return err
		},
		move: func(v Value) (func(), error) {
			h, ok := holding.Take(Handle(v.custom))
			if !ok { // a copy was reset or taken since decode
				return nil, wrong(ErrStale, Custom.String())
			}
			return h.release, nil
		},
	}
}

// AtValue makes a Field that takes an argument as it is, of any kind. A decoded value belongs to the T, whose owner resets the value or
// hands it on. An encoded value is moved out of the T.
func AtValue[T any](at func(*T) *Value) Field[T] {
	return Field[T]{
		encode: func(t *T) (Value, error) {
			p, err := locate(at, t)
			if err != nil {
				return Value{}, err
			}
			return p.Take(), nil
		},
		decode: func(v Value, t *T) error {
			p, err := locate(at, t)
			if err == nil {
				*p = v
			}
			return err
		},
		move: func(Value) (func(), error) { return nil, nil },
	}
}

// locate calls the accessor at, and returns ErrField if at is nil or returns nil.
func locate[T, A any](at func(*T) *A, t *T) (*A, error) {
	if at == nil {
		return nil, ErrField
	}
	if p := at(t); p != nil {
		return p, nil
	}
	return nil, ErrField
}
