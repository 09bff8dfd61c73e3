package binval

// Codec maps up to four fields of a T to [Args] and back, so that a stage of Go
// can be called with arguments from C. It is a list of fields in the order of
// the arguments; one that is left out is an argument not used:
//
//	var orderArgs = binval.Codec[Order]{
//		binval.At(func(o *Order) *int64 { return &o.ID }),
//		binval.At(func(o *Order) *string { return &o.Name }),
//	}
//
// A fifth field doesn't compile. The zero Codec is for a T without arguments,
// such as struct{}. The fields are found by the functions given: no reflection
// is used. A Codec is a constant: declare it as a package variable and share it.
// FTN12 §2.7.2.
type Codec[T any] [MaxArgs]Field[T]

// One is the Codec of a single argument without a struct.
func One[T Data]() Codec[T] {
	return Codec[T]{At(func(v *T) *T { return v })}
}

// Encode makes arguments of what in has, for the other side to read and reset.
// [AtValue] fields are moved out of in.
//
// Errors: of [From], and ErrField, saying which argument; nothing is left behind
// then.
func (c Codec[T]) Encode(in *T) (Args, error) {
	var args Args
	for i := range c {
		if c[i].encode == nil {
			continue
		}
		v, err := c[i].encode(in)
		if err != nil {
			_ = args.Reset() // nothing to add: the first error is the reason
			return Args{}, argument(i, err)
		}
		args[i] = v
	}
	return args, nil
}

// Decode takes over args (B1): it stores what they have in the fields of out and
// leaves all of them empty, also those that c has no field for. Objects of
// [AtCustom] fields and values of [AtValue] fields belong to out from then on;
// everything else is copied and reset. nil args are no values.
//
// Errors: of [To] and [TakeCustom], and ErrField, saying which argument. Then all
// of args have been reset, and out is the zero T. Of [Args.Reset]: then out is
// complete, and args have what couldn't be reset.
func (c Codec[T]) Decode(args *Args, out *T) error {
	var none Args
	if args == nil {
		args = &none
	}
	err := c.read(args, out)
	if err == nil {
		err = c.move(args)
	}
	if err == nil {
		return args.Reset()
	}
	_ = args.Reset() // nothing to add: the first error is the reason
	var zero T
	*out = zero
	return err
}

// read fills out and leaves args as they are, so that there is a way back.
func (c Codec[T]) read(args *Args, out *T) error {
	for i := range c {
		if c[i].decode == nil {
			continue
		}
		if err := c[i].decode(args[i], out); err != nil {
			return argument(i, err)
		}
	}
	return nil
}

// move makes out the owner of what isn't copied.
func (c Codec[T]) move(args *Args) error {
	for i := range c {
		if c[i].move == nil {
			continue
		}
		if err := c[i].move(args[i]); err != nil {
			return argument(i, err)
		}
		args[i] = Value{}
	}
	return nil
}
