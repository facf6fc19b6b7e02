import { geocode } from "./geocoder-v1";

export type Place = { lat: number; lon: number };

export async function locate(city: string): Promise<Place> {
  return geocode(city);
}
