require "money"

RSpec.describe Money do
  it "prints cents" do
    expect(Money.new(150).to_s).to eq("1.50")
  end
end
