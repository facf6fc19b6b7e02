package bank;

import java.math.BigDecimal;

public record Money(BigDecimal amount, String currency) {
    public Money add(Money other) {
        if (other == null) {
            return this;
        }
        return new Money(amount.add(other.amount), currency);
    }
}
