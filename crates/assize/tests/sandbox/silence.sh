# Says one thing and then nothing more.
echo here
sleep 600
