export function bookingForm() {
  return `<form><input type="date" name="arrival" required><button>Book</button></form>`;
}
