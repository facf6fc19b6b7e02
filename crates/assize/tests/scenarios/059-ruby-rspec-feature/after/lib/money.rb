# An amount in cents.
class Money
  FORMATS = {
    de: { thousands: ".", decimal: ",", pattern: "%s €" },
    en: { thousands: ",", decimal: ".", pattern: "€%s" }
  }.freeze

  attr_reader :cents

  def initialize(cents)
    @cents = cents
  end

  def to_s(locale = :en)
    style = FORMATS.fetch(locale)
    whole, rest = cents.abs.divmod(100)
    grouped = whole.digits.each_slice(3).map(&:join).join(style[:thousands].reverse).reverse
    sign = cents.negative? ? "-" : ""
    format(style[:pattern], "#{sign}#{grouped}#{style[:decimal]}#{format('%02d', rest)}")
  end
end
