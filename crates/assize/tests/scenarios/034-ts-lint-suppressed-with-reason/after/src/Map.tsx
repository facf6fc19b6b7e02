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
    // The map is created once; later changes of `center` come from panning it and must not reset it.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- creation must not depend on center
  }, []);

  return <div ref={element} className="map" />;
}
