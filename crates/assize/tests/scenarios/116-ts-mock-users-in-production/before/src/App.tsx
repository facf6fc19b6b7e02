export const App = () => <main />;
