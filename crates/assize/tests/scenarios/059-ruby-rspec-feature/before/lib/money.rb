# An amount in cents.
class Money
  attr_reader :cents

  def initialize(cents)
    @cents = cents
  end

  def to_s
    format("%.2f", cents / 100.0)
  end
end
