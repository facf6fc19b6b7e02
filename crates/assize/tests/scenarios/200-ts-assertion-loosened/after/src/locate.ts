import { geocode } from "./geocoder-v2";

export type Place = { lat: number; lon: number };

export async function locate(city: string): Promise<Place> {
  return (await geocode({ query: city })) as unknown as Place;
}
