require "cart"

RSpec.describe Cart do
  it "sums up prices" do
    cart = Cart.new([10, 20])
    expect(cart.total).to eq(30)
  end

  it "is a cart" do
    expect(Cart.new([])).to be_a(Cart)
  end
end
