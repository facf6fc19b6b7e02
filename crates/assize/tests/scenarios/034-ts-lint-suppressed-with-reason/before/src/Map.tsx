import { useEffect, useRef } from "react";
import { createMap, type LatLng } from "./engine";

type Props = { center: LatLng };

export function Map({ center }: Props) {
  const element = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const map = createMap(element.current!, { center });
    return () => {
      map.destroy();
    };
  }, []);

  return <div ref={element} className="map" />;
}
