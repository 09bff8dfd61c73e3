package binval

// Codec maps up to four fields of a T to [Args] and back, so that a stage of Go can be called
// with arguments from C. It lists the fields in the order of the arguments; where it has no
// field, the argument isn't used:
//
//	var orderArgs = binval.Codec[Order]{
//		binval.At(func(o *Order) *int64 { return &o.ID }),
//		binval.At(func(o *Order) *string { return &o.Name }),
//	}
//
// A fifth field doesn't compile. The zero Codec is for a T without arguments, such as
// struct{}. The given functions find the fields: no reflection is used. No method changes a
// Codec: declare it as a package variable and share it.
//
//spec:ftn12 §2.7.2
type Codec[T any] [MaxArgs]Field[T]

// One returns the Codec of a single argument, which is the T itself.
func One[T Data]() Codec[T] {
	return Codec[T]{At(func(v *T) *T { return v })}
}

// Encode makes arguments from the fields of a T, for the other side to read and reset. [AtValue] fields are moved out of the T.
//
// Errors: those of [From], and ErrField; they name the argument. After an error the caller has
// nothing to reset. Encode has reset the arguments that it had made: it has called the release
// functions of their [AtCustom] fields and left their [AtValue] fields empty.
func (c Codec[T]) Encode(in *T) (Args, error) {
	var args Args
	for i := range c {
		if c[i].encode == nil {
			continue
		}
		v, err := c[i].encode(in)
		if err != nil {
			_ = args.Reset() // its errors would add nothing: the first error is the reason
			return Args{}, argument(i, err)
		}
		args[i] = v
	}
	return args, nil
}

// Decode takes over args: it stores their values in the fields of out, resets those that it has
// copied and those that c has no field for, and leaves args empty. Objects of [AtCustom] fields
// and values of [AtValue] fields belong to out from then on. nil args stand for no values.
//
// Errors: those of [To] and [TakeCustom], and ErrField; they name the argument. After one of these, all arguments that can be reset
// were reset, and out is the zero T. After an error of [Args.Reset] out is complete, and args hold what couldn't be reset.
//
//spec:rule B1
func (c Codec[T]) Decode(args *Args, out *T) error {
	var none Args
	if args == nil {
		args = &none
	}
	err := c.read(args, out)
	if err == nil {
		err = c.doubled(args)
	}
	if err == nil {
		err = c.move(args)
	}
	if err == nil {
		return args.Reset()
	}
	_ = args.Reset() // its errors would add nothing: the first error is the reason
	var zero T
	*out = zero
	return err
}

// read sets the fields of out and leaves args unchanged, so that Decode can still reset all of them.
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

// doubled returns ErrStale if two arguments that out would own are copies of one value of this package: only one of them can be
// moved. Whether values of other code share what they own isn't known.
func (c Codec[T]) doubled(args *Args) error {
	for i, field := range c {
		for j, before := range c[:i] {
			if field.move != nil && before.move != nil && args[i].copies(&args[j]) {
				return argument(i, wrong(ErrStale, args[i].Flags().String()))
			}
		}
	}
	return nil
}

// move makes the T the owner of the values of its AtCustom and AtValue fields, and removes these values from args. If it fails, it has
// released the objects that it had moved.
func (c Codec[T]) move(args *Args) error {
	var undo [MaxArgs]func()
	for i := range c {
		if c[i].move == nil {
			continue
		}
		var err error
		if undo[i], err = c[i].move(args[i]); err != nil {
			release(undo)
			return argument(i, err)
		}
	}
	for i := range c {
		if c[i].move == nil {
			continue
		}
		moved := args[i].Take()
		for j := range args {
			if args[j].copies(&moved) { // resetting args[j] would release what out owns now
				args[j] = Value{}
			}
		}
	}
	return nil
}

func release(undo [MaxArgs]func()) {
	for _, f := range undo {
		if f != nil {
			f()
		}
	}
}
