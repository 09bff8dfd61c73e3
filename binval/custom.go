package binval

import "unsafe"

// FromCustom makes a value that carries any Go value, the object, through C. C sees a number in custom_data instead of a
// pointer to the object. The object stays reachable until the value is reset. Then release is called with the object,
// once, on the goroutine or thread that resets; release may be nil.
//
// For a T that is [Data] use [From] instead: the other side can read that value.
//
//spec:ftn12 §2.7.1 FTN_TYPE_CUSTOM_OBJECT
func FromCustom[T any](object T, release func(T)) Value {
	h := held{object: object}
	if release != nil {
		h.release = func() { release(object) }
	}
	return Value{typ: own(Custom), custom: uintptr(holding.Put(h))}
}

// ToCustom returns the object that v carries. v still owns it: an object with a release
// function must not be used after v was reset. T may be an interface that the object
// implements.
//
// Errors: ErrKind if v is empty or carries no object, if the object has another type, or if it isn't Go's, see
// [ForeignCustom] and [OwnerOf]; ErrStale if a copy of v was reset or taken by [TakeCustom], or v was damaged; ErrFlags,
// ErrPointer.
func ToCustom[T any](v *Value) (T, error) {
	var zero T
	if err := v.checkCustom(true); err != nil {
		return zero, err
	}
	h, ok := holding.Get(Handle(v.custom))
	if !ok || h.mem != nil {
		return zero, wrong(ErrStale, Custom.String())
	}
	if h.owner != nil {
		return zero, wrong(ErrKind, "object of an Owner as Go object")
	}
	return objectOf[T](h)
}

// TakeCustom returns the object that v carries and makes the caller its owner: v is empty
// afterwards, and the release function will not be called.
//
// Errors: those of [ToCustom]; v then stays as it is.
func TakeCustom[T any](v *Value) (T, error) {
	object, err := ToCustom[T](v)
	if err != nil {
		return object, err
	}
	if _, ok := holding.Take(Handle(v.custom)); !ok { // a copy of v was reset or taken meanwhile
		var zero T
		return zero, wrong(ErrStale, Custom.String())
	}
	*v = Value{}
	return object, nil
}

// ForeignCustom returns the pointer to an object that other code has made, for code that knows
// its type. v still owns it.
//
// Errors: ErrKind if v carries no object, or if [FromCustom] or [Own] has made v; ErrFlags, ErrPointer.
func ForeignCustom(v *Value) (unsafe.Pointer, error) {
	if err := v.checkCustom(false); err != nil {
		return nil, err
	}
	return v.pointer(), nil
}

// checkCustom returns an error unless v carries an object that was made by this package, if own is true, or else by other code.
func (v *Value) checkCustom(own bool) error {
	f, err := v.flagsChecked()
	switch {
	case err != nil:
		return err
	case f != Custom:
		return mismatch(f, Custom)
	case own && !v.isOwn():
		return wrong(ErrKind, "foreign object as Go object")
	case !own && v.isOwn():
		return wrong(ErrKind, "Go object as foreign object")
	default:
		return nil
	}
}

func objectOf[T any](h held) (T, error) {
	object, ok := h.object.(T)
	if !ok && (h.object != nil || any(object) != nil) { // a nil interface fits every interface type
		return object, wrong(ErrKind, "object of another Go type")
	}
	return object, nil
}
