import { datePicker } from "./date-picker.js";

export function bookingForm() {
  return `<form>${datePicker("arrival")}<button>Book</button></form>`;
}
