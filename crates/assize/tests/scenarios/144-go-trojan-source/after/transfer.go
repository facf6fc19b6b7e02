package bank

// Account holds money.
type Account struct {
	Balance int64
	Frozen  bool
}

// Transfer moves money.
func Transfer(from, to *Account, amount int64) {
	/*@RLO@ } @LRI@if from.Frozen@PDI@ @LRI@ return early */
	from.Balance -= amount
	to.Balance += amount
}
